import { type Action, actions, type Grant } from '../../storage/access/authorize.ts'
import { UsageError } from './command.ts'

/** The actions that `all` stands for: those on objects. */
const objectActions: readonly Action[] = ['list', 'read', 'write', 'delete']

const secondsOf = { s: 1, m: 60, h: 3_600, d: 86_400 } as const

/**
 * Reads `BUCKET[/PREFIX]:ACTION,…`, as in `photos/public/:read`. A prefix may contain colons.
 *
 * @throws UsageError
 */
export function grantOf(text: string): Grant {
  const colon = text.lastIndexOf(':')
  const place = text.slice(0, Math.max(colon, 0))
  const slash = place.indexOf('/')
  const bucket = slash < 0 ? place : place.slice(0, slash)
  const names = text.slice(colon + 1).split(',')
  const isKnown = (name: string): name is Action => actions.some((action) => action === name)
  const allowed: string[] = names.flatMap((name): readonly string[] =>
    name === 'all' ? objectActions : [name],
  )
  if (colon < 0 || bucket === '' || !allowed.every(isKnown)) {
    throw new UsageError(
      `--grant is ${JSON.stringify(text)}: expected BUCKET[/PREFIX]:ACTIONS with ${actions.join(', ')} or all, such as photos/public/:read,list`,
    )
  }
  const prefix = slash < 0 ? '' : place.slice(slash + 1)
  return { bucket, prefix, actions: [...new Set(allowed)] }
}

/** Writes a grant in the same syntax. */
export function grantText({ bucket, prefix, actions: allowed }: Grant): string {
  return `${bucket}${prefix === '' ? '' : `/${prefix}`}:${allowed.join(',')}`
}

/** Seconds of `90s`, `15m`, `24h` or `7d`. @throws UsageError */
export function durationOf(flag: string, text: string): number {
  const [, amount = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  if (amount !== '') return Number(amount) * secondsOf[unit as keyof typeof secondsOf]
  if (text === '0') return 0
  throw new UsageError(
    `--${flag} is ${JSON.stringify(text)}: expected a duration such as 90s, 15m, 24h or 7d`,
  )
}

/** Milliseconds since the epoch; null for `never`. A date alone means its beginning in UTC. @throws UsageError */
export function momentOf(flag: string, text: string): number | null {
  if (text === 'never') return null
  const isIso = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?(\.\d+)?(Z|[+-]\d{2}:\d{2}))?$/.test(text)
  const atMs = isIso ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(atMs)) return atMs
  throw new UsageError(
    `--${flag} is ${JSON.stringify(text)}: expected never, a date such as 2027-01-31, or a time such as 2027-01-31T18:00:00Z`,
  )
}

/** Explains a date, because its meaning may not be obvious. Undefined for other moments. */
export function momentNote(flag: string, text: string): string | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined
  return `--${flag} ${text} is the beginning of that day: the key is rejected from ${text}T00:00:00Z.`
}

/** A whole number; null for `none`. @throws UsageError */
export function limitOf(flag: string, text: string): number | null {
  if (text === 'none') return null
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new UsageError(`--${flag} is ${JSON.stringify(text)}: expected a whole number or none`)
}
