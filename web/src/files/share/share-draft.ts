import type { ShareBody } from '../../../../src/dashboard/shares/share-schemas.ts'

/** The form of a share, as it is typed. */
export interface ShareDraft {
  /** Days; '' for never, `date` for the day in `date`. */
  readonly days: string
  /** `YYYY-MM-DD` in the time zone of the browser. */
  readonly date: string
  readonly password: string
  readonly maxUses: string
  /** In MiB, like `maxMib`. */
  readonly maxFileMib: string
  readonly maxMib: string
  /** File name extensions, separated by commas or spaces. */
  readonly types: string
  readonly note: string
  /** '' for the owner. */
  readonly accessKeyId: string
}

export const newShareDraft: ShareDraft = {
  ...{ days: '7', date: '', password: '', maxUses: '', note: '', accessKeyId: '' },
  ...{ maxFileMib: '', maxMib: '', types: '' },
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
const mibBytes = 2 ** 20

/** The body of `POST /-/api/shares`. */
export function shareBodyOf(draft: ShareDraft, target: Target, nowMs: number): ShareBody {
  const { password, maxUses, note, accessKeyId } = draft
  return {
    ...target,
    ...{ note: note.trim(), expiresAt: expiryOf(draft, nowMs) },
    password: password === '' ? null : password,
    accessKeyId: accessKeyId === '' ? null : accessKeyId,
    maxUses: maxUses === '' ? null : Number(maxUses),
    ...(target.kind === 'drop' && {
      maxFileBytes: bytesOf(draft.maxFileMib),
      maxBytes: bytesOf(draft.maxMib),
      types: typesOf(draft.types),
    }),
  }
}

/** Parses `.PDF, jpg` as `pdf` and `jpg`. */
function typesOf(typed: string): string[] {
  const types = typed.toLowerCase().split(/[\s,;]+/)
  return [...new Set(types.map((type) => type.replace(/^\*?\./, '')))].filter((type) => type !== '')
}

function bytesOf(mib: string): number | null {
  return mib === '' ? null : Math.max(1, Math.round(Number(mib) * mibBytes))
}

function expiryOf({ days, date }: ShareDraft, nowMs: number): string | null {
  if (days === '') return null
  if (days !== 'date') return new Date(nowMs + Number(days) * dayMs).toISOString()
  // The whole day is included.
  return date === '' ? null : new Date(`${date}T23:59:59`).toISOString()
}

/** The mistakes in a draft, by field. */
export function mistakesOf({ days, date, password, types }: ShareDraft, nowMs: number) {
  const isPast = date !== '' && Date.parse(`${date}T23:59:59`) <= nowMs
  return {
    types: typesOf(types).every((type) => /^[a-z0-9]{1,10}$/.test(type))
      ? undefined
      : 'Enter file name extensions, such as pdf, jpg.',
    date: days === 'date' && (date === '' || isPast) ? 'Choose today or a later day.' : undefined,
    password:
      password !== '' && password.length < 8 ? 'Use 8 characters or more, or none.' : undefined,
  }
}
