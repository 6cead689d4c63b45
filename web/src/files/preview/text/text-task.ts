/** A piece of code and the name of its language, which may be unknown. */
export interface CodeBlock {
  readonly text: string
  readonly language: string
}

export const codeGroups = [
  ...(['comment', 'keyword', 'string', 'number', 'title', 'attribute'] as const),
  ...(['addition', 'deletion'] as const),
] as const

export type CodeGroup = (typeof codeGroups)[number]

/** The positions of the characters of each group: start, end, start, end … */
export type CodeRanges = Partial<Record<CodeGroup, number[]>>

export interface TextTasks {
  /** Markdown to HTML, which is not sanitized. */
  readonly markdown: { readonly from: string; readonly to: string }
  readonly code: { readonly from: readonly CodeBlock[]; readonly to: readonly CodeRanges[] }
}

export type TextTask = {
  [Name in keyof TextTasks]: { readonly name: Name; readonly from: TextTasks[Name]['from'] }
}[keyof TextTasks]
