/**
 * `report.pdf` as `report (2).pdf`. If the name starts with its only dot (`.profile`) or has no
 * extension, the number goes to the end; `archive.tar.gz` keeps both extensions.
 */
export function numberedName(name: string, number: number): string {
  const [, stem = name, extension = ''] =
    /^(.*?[^.])(\.tar\.\w{1,5}|\.\w{1,12})$/su.exec(name) ?? []
  return `${stem} (${number})${extension}`
}

export type ClashAnswer = 'replace' | 'keep-both' | 'skip'

/** What to do about each conflict, by the existing key. */
export type ClashAnswers = (key: string) => ClashAnswer
