/**
 * `report.pdf` as `report (2).pdf`. If the name starts with its only dot (`.profile`) or has no
 * extension, the number goes to the end; `archive.tar.gz` keeps both extensions.
 */
export function numberedName(name: string, number: number): string {
  const [, stem = name, extension = ''] =
    /^(.*?[^.])(\.tar\.\w{1,5}|\.\w{1,12})$/su.exec(name) ?? []
  return `${stem} (${number})${extension}`
}

/** The same for a key: `photos/a.txt` as `photos/a (2).txt`, and `photos/trip/` as `photos/trip (2)/`. */
export function numberedKey(key: string, number: number): string {
  const slash = key.endsWith('/') ? '/' : ''
  const path = slash === '' ? key : key.slice(0, -1)
  const start = path.lastIndexOf('/') + 1
  const name = path.slice(start)
  const numbered = slash === '' ? numberedName(name, number) : `${name} (${number})`
  return path.slice(0, start) + numbered + slash
}
