import { activityTexts } from '../../texts/activity.ts'
import { refusalTexts } from '../../texts/refusals.ts'

/** The maximum length of a search that is sent. A longer one is sent as it was typed. */
const maxLength = 3_000

/**
 * The typed words, each with the names of the service that are shown in that word: `uploaded|PutObject`. Such a search
 * finds requests with one of these names, and requests whose reason is shown in other words.
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

/** The part of a reason that is searched for is at most this long. */
const partLength = 32

/** A part of the reasons of this form. A no-break space in a word stands for a space. */
function partOf(form: string): string {
  const texts = form.split(/\{\w+\}/).map((text) => text.trim().slice(0, partLength))
  const longest = texts.reduce((one, other) => (other.length > one.length ? other : one), '')
  return longest.trim().replaceAll(' ', '\u00a0')
}
