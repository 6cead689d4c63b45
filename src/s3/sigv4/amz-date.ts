/** Formats milliseconds since the epoch as `YYYYMMDDThhmmssZ`, the form of x-amz-date. */
export function formatAmzDate(ms: number): string {
  return new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '')
}

const amzDate = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/

/** Milliseconds since the epoch of `YYYYMMDDThhmmssZ`; undefined when there is no such moment. */
export function parseAmzDate(text: string): number | undefined {
  const match = amzDate.exec(text)
  if (match === null) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1).map(Number) as DateParts
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second))
  // Date.UTC carries over: 31 February would be 3 March. A part that changed was out of range.
  const isReal =
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    date.getUTCHours() === hour &&
    date.getUTCMinutes() === minute &&
    date.getUTCSeconds() === second
  return isReal ? date.getTime() : undefined
}

type DateParts = [number, number, number, number, number, number]
