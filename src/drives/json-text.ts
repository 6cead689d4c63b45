/** The value of a JSON text; undefined when it is none. What JSON.parse throws would quote the text. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
