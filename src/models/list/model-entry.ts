/** One entry of the list; it has no other fields (docs/contract/model-list.md, "Entries"). */
export interface ModelEntry {
  /** Combo name, or `<alias>/<model_id>`. */
  readonly id: string
  readonly object: 'model'
  /** When the list was built, seconds since the epoch; the same in all entries. */
  readonly created: number
  /** `combo`, otherwise the provider's output alias. */
  readonly owned_by: string
  readonly kind?: WebKind
}

/** The kinds that an entry contains. */
export type WebKind = 'webSearch' | 'webFetch'
