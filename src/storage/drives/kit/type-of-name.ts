import mime from 'mime'

/** Source code that the registry of the `mime` package lacks. Browsers show any `text/…` as text. */
const sourceTypes: Readonly<Record<string, string>> = {
  ...{ py: 'text/x-python', go: 'text/x-go', rb: 'text/x-ruby', swift: 'text/x-swift' },
  ...{ kt: 'text/x-kotlin', cs: 'text/x-csharp', vue: 'text/x-vue', ps1: 'text/x-powershell' },
}

/** The Content-Type of a file that has none, by the end of its name. */
export function typeOfName(name: string): string {
  const ending = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  const source = Object.hasOwn(sourceTypes, ending) ? sourceTypes[ending] : undefined
  return source ?? mime.getType(name) ?? 'application/octet-stream'
}
