import { refusalTexts } from '../texts/refusals.ts'

/** A message of the service in the words and the language of the dashboard, if it has them. */
export function shownMessage(message: string): string {
  const { ofService } = refusalTexts
  if (Object.hasOwn(ofService, message)) return ofService[message] ?? message
  for (const [form, words] of Object.entries(ofService)) {
    const values = valuesIn(message, form)
    if (values !== undefined) return withValues(words, values)
  }
  return message
}

/** The names and the texts between them: "At most {n} jobs." is "At most ", "n", " jobs." */
function piecesOf(form: string): readonly string[] {
  return form.split(/\{(\w+)\}/)
}

/** The values of a message of this form; undefined if it has another one, or the form has no values. */
function valuesIn(message: string, form: string): ReadonlyMap<string, string> | undefined {
  const [first = '', ...rest] = piecesOf(form)
  if (rest.length === 0 || !message.startsWith(first)) return undefined
  const values = new Map<string, string>()
  let start = first.length
  for (let index = 0; index < rest.length; index += 2) {
    const [name = '', text = ''] = rest.slice(index, index + 2)
    const isLast = index + 2 === rest.length
    const end = isLast ? message.length - text.length : message.indexOf(text, start)
    if (end < start || !message.startsWith(text, end)) return undefined
    values.set(name, message.slice(start, end))
    start = end + text.length
  }
  return values
}

function withValues(words: string, values: ReadonlyMap<string, string>): string {
  return piecesOf(words)
    .map((piece, index) => (index % 2 === 0 ? piece : (values.get(piece) ?? '')))
    .join('')
}
