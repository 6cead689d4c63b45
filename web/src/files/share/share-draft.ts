import type { ShareBody } from '../../../../src/console/shares/share-schemas.ts'

/** The form of a share, as it is typed. */
export interface ShareDraft {
  /** Days; '' for never, `date` for the day in `date`. */
  readonly days: string
  /** `YYYY-MM-DD` in the time zone of the browser. */
  readonly date: string
  readonly password: string
  readonly maxUses: string
  readonly note: string
  /** '' for the owner. */
  readonly accessKeyId: string
}

export const newShareDraft: ShareDraft = {
  ...{ days: '7', date: '', password: '', maxUses: '', note: '', accessKeyId: '' },
}

export const lifetimes = [
  { value: '1', label: '1 day' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '', label: 'Never' },
  { value: 'date', label: 'On a date' },
] as const

type Target = Pick<ShareBody, 'kind' | 'bucket' | 'path'>

const dayMs = 86_400_000

/** The body of `POST /-/api/shares`. */
export function shareBodyOf(draft: ShareDraft, target: Target, nowMs: number): ShareBody {
  const { password, maxUses, note, accessKeyId } = draft
  return {
    ...target,
    ...{ note: note.trim(), expiresAt: expiryOf(draft, nowMs) },
    password: password === '' ? null : password,
    accessKeyId: accessKeyId === '' ? null : accessKeyId,
    maxUses: maxUses === '' ? null : Number(maxUses),
  }
}

function expiryOf({ days, date }: ShareDraft, nowMs: number): string | null {
  if (days === '') return null
  if (days !== 'date') return new Date(nowMs + Number(days) * dayMs).toISOString()
  // The whole day is included.
  return date === '' ? null : new Date(`${date}T23:59:59`).toISOString()
}

/** What is wrong with it, by field. */
export function mistakesOf({ days, date, password }: ShareDraft, nowMs: number) {
  const isPast = date !== '' && Date.parse(`${date}T23:59:59`) <= nowMs
  return {
    date: days === 'date' && (date === '' || isPast) ? 'Choose a day from today on.' : undefined,
    password:
      password !== '' && password.length < 8 ? 'Use 8 characters or more, or none.' : undefined,
  }
}
