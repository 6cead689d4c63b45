/** The kinds of calls that counters and faults distinguish, with their cost in quota units. */
export const quotaUnits = {
  token: 0,
  about: 5,
  list: 100,
  get: 5,
  download: 200,
  create: 50,
  update: 50,
  delete: 50,
  copy: 50,
  generateIds: 5,
  /** Metadata and bytes in one request, for a new or an existing file. */
  multipart: 50,
  /** Only bytes in one request. */
  media: 50,
  /** Starts a resumable session. */
  init: 50,
  /** Bytes of a session, before its end. */
  chunk: 0,
  /** Bytes of a session, to its end. */
  lastChunk: 0,
  /** Queries a session, or ends it without bytes. */
  query: 0,
  /** Cancels a session. */
  cancel: 0,
  startPageToken: 5,
  changes: 100,
  drives: 100,
  drive: 5,
} as const

export type CallKind = keyof typeof quotaUnits

export const callKinds = Object.keys(quotaUnits) as readonly CallKind[]
