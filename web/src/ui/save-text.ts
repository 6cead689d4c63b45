/** Makes the browser save text as a file. */
export function saveText(fileName: string, text: string, type = 'text/plain'): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  saveUrl(url, fileName)
  // Delayed, because some browsers start reading later.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/**
 * Makes the browser save a URL of this origin as a file.
 *
 * @param fileName the default is the name in Content-Disposition.
 */
export function saveUrl(url: string, fileName = ''): void {
  const link = document.createElement('a')
  link.href = url
  // Even an empty name keeps the browser on this page.
  link.download = fileName
  link.rel = 'noreferrer'
  link.click()
}
