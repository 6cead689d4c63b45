import type { German } from './de.ts'
import { language, locale } from './language.ts'
import { type TextKit, textKit } from './text-kit.ts'

/** The texts of each area. Every language has them all. */
type Catalogue = German

const catalogues = { de: async () => (await import('./de.ts')).german }

const kit = textKit(language, locale)
const areas = new Map<keyof Catalogue, object>()
let translations: Partial<Catalogue> = {}

/**
 * The texts of an area in the language of this page. English comes with the code that shows it, so that no page waits
 * for a catalogue; `loadLanguage` replaces it.
 */
export function textsOf<Area extends keyof Catalogue>(
  area: Area,
  english: (kit: TextKit) => Catalogue[Area],
): Catalogue[Area] {
  const texts = { ...english(kit), ...translations[area] }
  areas.set(area, texts)
  return texts
}

/**
 * Replaces the English texts, before the first of them is shown. Only modules of the first chunk are evaluated before:
 * their constants must not keep a text.
 */
export async function loadLanguage(): Promise<void> {
  if (language === 'en') return
  const translate = await catalogues[language]()
  translations = translate(kit)
  for (const [area, texts] of areas) Object.assign(texts, translations[area])
}
