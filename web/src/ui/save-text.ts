/** Makes the browser save text as a file. */
export function saveText(fileName: string, text: string, type = 'text/plain'): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = fileName
  link.click()
  // Delayed, because some browsers start reading later.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
