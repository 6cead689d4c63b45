interface SettingsBlock {
  /** What to do with the text. */
  readonly caption: string
  readonly text: string
  /** The file name, if the text is to be saved as a file. */
  readonly fileName?: string
}

/** Settings to paste into a client. */
export interface ClientSettings {
  readonly id: string
  readonly name: string
  readonly blocks: readonly SettingsBlock[]
}
