import type {
  ShareBody,
  ShareChange,
  ShareReply,
} from '../../../src/dashboard/shares/share-schemas.ts'
import { dayOf, endOfDay } from '../format/day-field.ts'
import { sharesTexts } from '../texts/shares.ts'

/** The form of a share, as it is typed. */
export interface ShareDraft {
  /** For visitors. */
  readonly title: string
  /** Days; '' for never, `date` for the day in `date`, `kept` for the end that the link has. */
  readonly days: string
  /** `YYYY-MM-DD` in the time zone of the browser. */
  readonly date: string
  readonly password: string
  /** Only for a link that has a password. */
  readonly isPasswordRemoved: boolean
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
  ...{ title: '', days: '7', date: '', password: '', isPasswordRemoved: false },
  ...{ maxUses: '', note: '', accessKeyId: '' },
  ...{ maxFileMib: '', maxMib: '', types: '' },
}

export const lifetimes = [
  ...[1, 7, 30].map((days) => ({ value: String(days), label: sharesTexts.lifetimes.days(days) })),
  { value: '', label: sharesTexts.lifetimes.never },
  { value: 'date', label: sharesTexts.lifetimes.onDate },
]

/** What is shared. */
export type ShareTarget = Pick<ShareBody, 'kind' | 'bucket' | 'path' | 'items'>

const dayMs = 86_400_000
const mibBytes = 2 ** 20

/** The body of `POST /-/api/shares`. */
export function shareBodyOf(draft: ShareDraft, target: ShareTarget, nowMs: number): ShareBody {
  const { title, password, maxUses, note, accessKeyId } = draft
  return {
    ...target,
    ...{ title: title.trim(), note: note.trim(), expiresAt: expiryOf(draft, nowMs) },
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

/** The draft of a link that is to be changed. */
export function draftOf(share: ShareReply): ShareDraft {
  const { title, note, expiresAt, maxUses, maxFileBytes, maxBytes, types } = share
  return {
    ...newShareDraft,
    ...{ title, note, days: expiresAt === null ? '' : 'kept', types: types.join(', ') },
    maxUses: maxUses === null ? '' : String(maxUses),
    maxFileMib: mibOf(maxFileBytes),
    maxMib: mibOf(maxBytes),
  }
}

function mibOf(bytes: number | null): string {
  return bytes === null ? '' : String(bytes / mibBytes)
}

/** The body of `PATCH /-/api/shares/{shareId}`: only what was changed in the form. */
export function shareChangeOf(draft: ShareDraft, share: ShareReply, nowMs: number): ShareChange {
  const before = draftOf(share)
  const body = shareBodyOf(draft, share, nowMs)
  const changed = (name: keyof ShareDraft) => draft[name] !== before[name]
  const { password, isPasswordRemoved } = draft
  return {
    ...(changed('title') && { title: body.title }),
    ...(changed('note') && { note: body.note }),
    ...((changed('days') || changed('date')) && { expiresAt: body.expiresAt }),
    ...(changed('maxUses') && { maxUses: body.maxUses }),
    ...(changed('maxFileMib') && { maxFileBytes: body.maxFileBytes }),
    ...(changed('maxMib') && { maxBytes: body.maxBytes }),
    ...(changed('types') && { types: body.types }),
    ...((password !== '' || isPasswordRemoved) && {
      password: isPasswordRemoved ? null : password,
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
  // An end that is kept is left out of the change.
  if (days === '' || days === 'kept') return null
  if (days !== 'date') return new Date(nowMs + Number(days) * dayMs).toISOString()
  return endOfDay(date)
}

/** What changes in the form when another end is chosen: a date begins as the day on which the link would have ended. */
export function endChange(draft: ShareDraft, days: string, nowMs: number): Partial<ShareDraft> {
  if (days !== 'date' || draft.date !== '') return { days }
  const before = expiryOf(draft, nowMs) ?? expiryOf(newShareDraft, nowMs)
  return { days, date: dayOf(before) }
}

/** The mistakes in a draft, by field. */
export function mistakesOf({ days, date, password, types }: ShareDraft, nowMs: number) {
  const isPast = date !== '' && Date.parse(`${date}T23:59:59`) <= nowMs
  return {
    types: typesOf(types).every((type) => /^[a-z0-9]{1,10}$/.test(type))
      ? undefined
      : sharesTexts.mistakes.types,
    date: days === 'date' && (date === '' || isPast) ? sharesTexts.mistakes.date : undefined,
    password: password !== '' && password.length < 8 ? sharesTexts.mistakes.password : undefined,
  }
}
