import { activityTexts } from '../../texts/activity.ts'
import { refusalTexts } from '../../texts/refusals.ts'

/** Of what is sent. Longer texts are sent without the names of some words. */
const maxLength = 3_000

/**
 * The words that are typed, each with the names that the service has for what is shown with it: `uploaded|PutObject`. It
 * finds requests with one of them, or with a reason that is shown in other words.
 */
export function searchOf(typed: string): string {
  const words = typed.split(/\s+/).filter((word) => word !== '')
  const all = words.map((word) => [word, ...namesShownWith(word.toLowerCase())].join('|')).join(' ')
  return all.length <= maxLength ? all : words.join(' ')
}

function namesShownWith(word: string): readonly string[] {
  const { operations, actions, refused, failed } = activityTexts.words
  const shown: readonly (readonly [name: string, texts: readonly string[]])[] = [
    ...Object.entries(operations),
    ...Object.entries(actions),
    ...Object.entries(activityTexts.requests.by).map(([name, text]) => [name, [text]] as const),
    ...Object.entries(refusalTexts.ofService).map(
      ([form, text]) => [partOf(form), [text]] as const,
    ),
    ['4xx', [refused('')]],
    ['5xx', [failed('')]],
  ]
  return shown
    .filter(([, texts]) => texts.some((text) => text.toLowerCase().includes(word)))
    .map(([name]) => name)
}

/** So much of a reason is enough to find it. */
const partLength = 32

/** A part of the reasons of this form. A no-break space in a word stands for a space. */
function partOf(form: string): string {
  const texts = form.split(/\{\w+\}/).map((text) => text.trim().slice(0, partLength))
  const longest = texts.reduce((one, other) => (other.length > one.length ? other : one), '')
  return longest.trim().replaceAll(' ', '\u00a0')
}
