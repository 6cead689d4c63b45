import { parseHttpDate } from '../headers/http-date.ts'

/** Formats milliseconds since the epoch as `YYYYMMDDThhmmssZ`, the form of x-amz-date. */
export function formatAmzDate(ms: number): string {
  return new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '')
}

const amzDate = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/

/** The last date read: all requests of one second have the same. */
let last: { readonly text: string; readonly ms: number | undefined } = { text: '', ms: undefined }

/** Milliseconds since the epoch of `YYYYMMDDThhmmssZ`; undefined for an invalid time. */
export function parseAmzDate(text: string): number | undefined {
  if (text !== last.text) last = { text, ms: readAmzDate(text) }
  return last.ms
}

function readAmzDate(text: string): number | undefined {
  const match = amzDate.exec(text)
  if (match === null) return undefined
  const [, year, month, day, hour, minute, second] = match
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  // Date.parse moves 31 February and 24:00 to another day; other invalid values give NaN.
  return new Date(ms).getUTCDate() === Number(day) ? ms : undefined
}

/**
 * Milliseconds since the epoch of a header that says when a request was signed: in the form above or a date of HTTP
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html). boto3 writes the zone
 * of RFC 5322 section 3.3, `-0000`, AWS's examples of Version 2 `+0000`. Undefined for what is not a date.
 */
export function parseSigningTime(text: string): number | undefined {
  return parseAmzDate(text) ?? parseHttpDate(text.replace(/ [+-]0000$/, ' GMT'))
}
