/** The faults that a test can request for one request to the Nextcloud emulator. */
export type NextcloudFault =
  /** This answer; the request is not executed. */
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
    }
  /** The request is executed, then this answer: a proxy in front timed out. */
  | { readonly kind: 'answer-after'; readonly status: number }
  /** The connection ends; the request is not executed. */
  | { readonly kind: 'drop-before' }
  /** The request is executed, and the connection ends without an answer. */
  | { readonly kind: 'drop-after' }
  /** The connection ends in the answer's body. */
  | { readonly kind: 'truncate'; readonly bytes: number }
  /** PUT: half of the body is stored, but the answer is a success. */
  | { readonly kind: 'store-short' }
  /** All chunked uploads are deleted before this request. */
  | { readonly kind: 'expire-uploads' }
  /** v2: the distributed cache loses the uploads before this request. */
  | { readonly kind: 'lose-metadata' }
  /**
   * MOVE of `.file`: answers `status` (absent: ends the connection) and continues. During the next
   * `requests` requests, another MOVE gets 423; then the file exists and the upload does not (404).
   * With `fails`, it ends without a file and the upload stays.
   */
  | {
      readonly kind: 'slow-move'
      readonly status?: number
      readonly requests: number
      readonly fails?: boolean
    }
  /** MOVE over a file: sabre/dav deletes the target first, and ends there with 500. */
  | { readonly kind: 'lose-target' }

/** All faults by name. The fault run tries each. */
export const nextcloudFaults = {
  maintenance: {
    kind: 'answer',
    status: 503,
    headers: { 'x-nextcloud-maintenance-mode': '1', 'retry-after': '120' },
  },
  'brute force protection': { kind: 'answer', status: 429 },
  locked: { kind: 'answer', status: 423 },
  full: { kind: 'answer', status: 507 },
  'internal error': { kind: 'answer', status: 500 },
  'bad gateway': { kind: 'answer', status: 502 },
  'gateway timeout before': { kind: 'answer', status: 504 },
  'gateway timeout after': { kind: 'answer-after', status: 504 },
  'dropped before': { kind: 'drop-before' },
  'dropped after': { kind: 'drop-after' },
  'body cut off': { kind: 'truncate', bytes: 10 },
  'stored short': { kind: 'store-short' },
  'uploads expired': { kind: 'expire-uploads' },
  'metadata lost': { kind: 'lose-metadata' },
  'slow move, 504': { kind: 'slow-move', status: 504, requests: 2 },
  'slow move, dropped': { kind: 'slow-move', requests: 2 },
  'move done, 504': { kind: 'slow-move', status: 504, requests: 0 },
  'slow move that fails': { kind: 'slow-move', status: 504, requests: 2, fails: true },
  'target lost in a move': { kind: 'lose-target' },
} as const satisfies Record<string, NextcloudFault>

export type NextcloudFaultName = keyof typeof nextcloudFaults
