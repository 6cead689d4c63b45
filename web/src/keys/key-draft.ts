import type { KeyBody, KeyReply } from '../../../src/dashboard/management/key-routes.ts'
import { dayOf, endOfDay } from '../format/day-field.ts'
import { type Action, presets } from './key-text.ts'

/** The form of an access key, as it is typed. */
export interface KeyDraft {
  readonly name: string
  readonly note: string
  readonly grants: readonly GrantDraft[]
  /** `YYYY-MM-DD` in the time zone of the browser; '' for never. */
  readonly expires: string
  readonly requestsPerSecond: string
  /** In GiB. */
  readonly gib: string
}

export interface GrantDraft {
  /** The React key. */
  readonly id: number
  readonly bucket: string
  readonly prefix: string
  readonly actions: readonly Action[]
}

const gibBytes = 2 ** 30

export function newGrant(id: number, bucket: string): GrantDraft {
  return { id, bucket, prefix: '', actions: presets[0]?.actions ?? [] }
}

export function newDraft(bucket: string): KeyDraft {
  return {
    ...{ name: '', note: '', grants: [newGrant(0, bucket)], expires: '' },
    ...{ requestsPerSecond: '', gib: '' },
  }
}

export function draftOf({ name, note, grants, expiresAt, limits }: KeyReply): KeyDraft {
  const { requestsPerSecond, bytes } = limits
  return {
    ...{ name, note },
    grants: grants.map((grant, id) => ({ ...grant, id })),
    expires: dayOf(expiresAt),
    requestsPerSecond: requestsPerSecond === null ? '' : String(requestsPerSecond),
    gib: bytes === null ? '' : String(Number((bytes / gibBytes).toFixed(3))),
  }
}

/** The body of `POST /keys` and `PATCH /keys/{accessKeyId}`. */
export function bodyOf(draft: KeyDraft) {
  const { name, note, grants, expires, requestsPerSecond, gib } = draft
  return {
    ...{ name, note },
    grants: grants.map(({ bucket, prefix, actions }) => ({
      ...{ bucket, prefix },
      actions: [...actions],
    })),
    expiresAt: endOfDay(expires),
    limits: {
      requestsPerSecond: requestsPerSecond === '' ? null : Number(requestsPerSecond),
      bytes: gib === '' ? null : Math.round(Number(gib) * gibBytes),
    },
  } satisfies KeyBody
}
