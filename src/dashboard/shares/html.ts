/** Markup, in which everything that came from outside is escaped. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }
}

type Value = Html | string | number | undefined | false | readonly Html[]

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A template: texts are escaped, Html stays as it is. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  const rest = values.map((value, index) => markupOf(value) + (strings[index + 1] ?? ''))
  return new Html((strings[0] ?? '') + rest.join(''))
}

function markupOf(value: Value): string {
  if (value === undefined || value === false) return ''
  if (value instanceof Html) return value.markup
  if (typeof value === 'object') return value.map(({ markup }) => markup).join('')
  return escapeText(String(value))
}

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
}
