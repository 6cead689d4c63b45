import { randomBytes } from 'node:crypto'
import type { HeaderFields } from '../../platform/http/message.ts'

/**
 * The nonce placeholder in the built page. `html.cspNonce` of web/vite.config.ts puts it into every
 * tag that loads a script or a style, and into a meta element for the page's own scripts.
 */
const noncePlaceholder = 'bucketry-csp-nonce'

/** The built page with the nonce of one reply. */
export function withNonce(page: string, nonce: string): string {
  return page.replaceAll(noncePlaceholder, nonce)
}

/**
 * 128 random bits, which cannot be guessed (CSP Level 3, "Security and privacy considerations").
 */
export function newNonce(): string {
  return randomBytes(16).toString('base64')
}

/**
 * The page may load only its own files and responses of the service.
 *
 * Allowed scripts are those with the nonce and their imports: an imported module inherits the nonce of its importer
 * (HTML, "descendant script fetch options"). `'self'` would also allow every object of every bucket, because they
 * share the origin, and `'strict-dynamic'` would allow every script element that a script creates. The component
 * library adds style elements that depend on the theme and on the width of the window, so they carry the nonce as
 * well. CSP does not restrict style attributes set by scripts. Frames and media show objects, which have their own
 * policy (src/storage/s3/reply/object-reply.ts). Workers have no nonce: they are blobs, which only a script of the
 * page can create and which inherit the policy of the page (HTML, "initialize worker policy container").
 *
 * Only the dashboard may compile WebAssembly, for the decoder of HEIC files in a worker: it needs a script that already runs, and
 * a worker cannot have a policy of its own (docs/decisions/0048-thumbnails.md).
 */
function contentSecurityPolicy(nonce: string, formAction: string, compiles: boolean): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'${compiles ? " 'wasm-unsafe-eval'" : ''}`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "connect-src 'self'",
    "frame-src 'self' blob:",
    "manifest-src 'self'",
    'worker-src blob:',
    "base-uri 'none'",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
  ].join('; ')
}

/** The parts that differ between pages. */
interface PagePolicy {
  /** Where forms may be submitted. Default: nowhere. The dashboard has no forms that the browser itself submits. */
  readonly formAction?: "'none'" | "'self'"
  /** Default: `no-cache`. */
  readonly cacheControl?: string
  /** Whether scripts may compile WebAssembly. Default: false. */
  readonly compiles?: boolean
}

/** Header fields of a page. It must be revalidated, because each response has its own nonce. */
export function pageHeaders(
  nonce: string,
  { formAction = "'none'", cacheControl = 'no-cache', compiles = false }: PagePolicy = {},
): HeaderFields {
  return [
    ['Content-Type', 'text/html; charset=utf-8'],
    ['Cache-Control', cacheControl],
    ['Content-Security-Policy', contentSecurityPolicy(nonce, formAction, compiles)],
    ['Cross-Origin-Opener-Policy', 'same-origin'],
    ['Permissions-Policy', permissions],
    ...commonHeaders,
  ]
}

/** Header fields of all responses of the app. */
export const commonHeaders: HeaderFields = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
]

/** Browser features that the app does not use. */
const permissions = ['camera', 'display-capture', 'geolocation', 'microphone', 'payment', 'usb']
  .map((feature) => `${feature}=()`)
  .join(', ')
