/** The languages that have a catalogue, with their own names. */
export const languages = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof languages

const languageKey = 'bucketry.language'

/** The choice made in this browser; undefined: the browser's own languages decide. */
export function chosenLanguage(): Language | undefined {
  const stored = isPage ? localStorage.getItem(languageKey) : null
  return stored !== null && isLanguage(stored) ? stored : undefined
}

/** Takes effect when the page is loaded. */
export function chooseLanguage(choice: Language | undefined): void {
  if (choice === undefined) localStorage.removeItem(languageKey)
  else localStorage.setItem(languageKey, choice)
}

/** The first language of the browser that has a catalogue, otherwise English. */
export function languageOf(tags: readonly string[]): Language {
  return tags.map(primaryTag).find(isLanguage) ?? 'en'
}

/** The browser's variant of a language, such as en-GB or de-AT, for its dates and numbers. */
export function localeOf(language: Language, tags: readonly string[]): string {
  return tags.find((tag) => primaryTag(tag) === language) ?? language
}

/** RFC 5646 section 2.2.1: "de" of "de-AT". */
function primaryTag(tag: string): string {
  return tag.split('-', 1)[0]?.toLowerCase() ?? ''
}

function isLanguage(text: string): text is Language {
  return Object.hasOwn(languages, text)
}

/** False in the unit tests, whose texts do not depend on the language of the machine. */
const isPage = 'document' in globalThis
const tags = isPage ? navigator.languages : ['en']

export const language = chosenLanguage() ?? languageOf(tags)
export const locale = localeOf(language, tags)
