export type ClashAnswer = 'replace' | 'keep-both' | 'skip'

/** What to do about each conflict, by the existing key. */
export type ClashAnswers = (key: string) => ClashAnswer
