import { nameOf } from '../../entries/entry.ts'

/** How a text can be shown other than as source. */
export type TextView = 'markdown' | 'json' | 'table'

/**
 * The number of bytes that a view reads from the beginning of a text: as much as a phone can parse without a
 * noticeable pause.
 */
export const viewBytes = 512 * 1024

interface ViewRule {
  readonly view: TextView
  readonly names: RegExp
  readonly types: RegExp
  /** Longer texts have only pages of source: the view needs the whole text in memory. */
  readonly maxBytes: number
}

const rules: readonly ViewRule[] = [
  {
    view: 'markdown',
    names: /\.(?:md|markdown)$/i,
    types: /^text\/markdown\b/i,
    maxBytes: 128 * 1024,
  },
  {
    view: 'json',
    names: /\.(?:json|geojson|map|webmanifest)$/i,
    types: /^application\/(?:json\b|[\w.-]+\+json\b)/i,
    maxBytes: viewBytes,
  },
  {
    view: 'table',
    names: /\.(?:csv|tsv)$/i,
    types: /^text\/(?:csv|tab-separated-values)\b/i,
    maxBytes: Number.POSITIVE_INFINITY,
  },
]

export function textView(key: string, contentType: string, size: number): TextView | undefined {
  const rule =
    rules.find(({ names }) => names.test(nameOf(key))) ??
    rules.find(({ types }) => types.test(contentType))
  return rule !== undefined && size <= rule.maxBytes ? rule.view : undefined
}

const plain: ReadonlySet<string> = new Set(['txt', 'log', 'csv', 'tsv'])

/** The language of a file by its name: `ts`, `makefile`; undefined for text without colours. */
export function languageOf(key: string): string | undefined {
  const name = nameOf(key).toLowerCase()
  const language = name.slice(name.lastIndexOf('.') + 1)
  return plain.has(language) ? undefined : language
}
