/** Dates of header fields (RFC 9110 section 5.6.7). */

const months: ReadonlyMap<string, number> = new Map(
  ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'].map(
    (name, index) => [name, index],
  ),
)

const imfFixdate =
  /^\w{3}, (?<day>\d{2}) (?<month>\w{3}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/
const rfc850 =
  /^\w{6,9}, (?<day>\d{2})-(?<month>\w{3})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/
const asctime = /^\w{3} (?<month>\w{3}) (?<day>\d{1,2}) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/

/** `Sun, 06 Nov 1994 08:49:37 GMT`, the form to send. Fractions of a second are dropped. */
export function formatHttpDate(atMs: number): string {
  return new Date(atMs).toUTCString()
}

/**
 * Milliseconds since the epoch, from any of the three forms that a recipient must accept; undefined for any other text.
 * `Date.parse` would read the asctime form as local time.
 */
export function parseHttpDate(text: string, nowMs: number = Date.now()): number | undefined {
  // A signature covers several spaces or a tab as one space. If they made a date invalid, its condition would be ignored.
  const spaced = text.replace(/[ \t]+/g, ' ')
  const match = imfFixdate.exec(spaced) ?? rfc850.exec(spaced) ?? asctime.exec(spaced)
  const { day = '', month = '', year = '', time = '' } = match?.groups ?? {}
  const monthIndex = months.get(month)
  if (monthIndex === undefined) return undefined
  const [hour, minute, second] = time.split(':').map(Number)
  const fullYear = year.length === 2 ? expandYear(Number(year), nowMs) : Number(year)
  const atMs = Date.UTC(fullYear, monthIndex, Number(day), hour, minute, second)
  return Number.isNaN(atMs) ? undefined : atMs
}

/** A two-digit year that is more than 50 years ahead is in the past (RFC 9110 section 5.6.7). */
function expandYear(twoDigits: number, nowMs: number): number {
  const thisYear = new Date(nowMs).getUTCFullYear()
  const year = thisYear - (thisYear % 100) + twoDigits
  return year > thisYear + 50 ? year - 100 : year
}

/** Formats milliseconds since the epoch as `YYYYMMDDThhmmssZ`, the form of x-amz-date. */
export function formatAmzDate(ms: number): string {
  return new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '')
}

const amzDate = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/

const isoTime = /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/

/** Milliseconds since the epoch of a time in ISO 8601, as SDKs send it; undefined for another text. */
export function parseIsoTime(text: string): number | undefined {
  const [, day] = isoTime.exec(text) ?? []
  const [ofDayMs, atMs] = [Date.parse(`${day}T00:00:00Z`), Date.parse(text)]
  if (day === undefined || Number.isNaN(ofDayMs) || Number.isNaN(atMs)) return undefined
  // Date.parse would move 31 February to another day.
  return new Date(ofDayMs).toISOString().startsWith(day) ? atMs : undefined
}

/** The last date that was parsed: requests of one second have the same. */
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
 * Milliseconds since the epoch of the header with the time of signing, in the form above or as an HTTP date
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html). boto3 sends the zone
 * `-0000` (RFC 5322 section 3.3), AWS's examples of Version 2 `+0000`. Undefined for other texts.
 */
export function parseSigningTime(text: string): number | undefined {
  return parseAmzDate(text) ?? parseHttpDate(text.replace(/ [+-]0000$/, ' GMT'))
}
