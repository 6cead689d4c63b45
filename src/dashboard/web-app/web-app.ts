import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { HttpHandler, HttpReply, HttpRequest } from '../../platform/http/message.ts'
import { openAsset } from './asset-file.ts'
import { commonHeaders, newNonce, pageHeaders, withNonce } from './page-policy.ts'

interface WebAppOptions {
  /** The folder of the build: `index.html`, `docs.html`, `share.html`, icons, and `assets/` with hashed names. */
  readonly folder: string
}

const base = '/-/'
const assetsBase = '/-/assets/'
const docsPath = '/-/docs'

/** Browsers request it for every page without an icon, such as an object. */
export const faviconPath = '/favicon.ico'

/** Files that keep their names, by path: those of an installed app. */
const ownFiles = new Map(
  [
    'manifest.webmanifest',
    'icon-192.png',
    'icon-512.png',
    'icon-maskable-512.png',
    'apple-touch-icon.png',
  ].map((name) => [base + name, name]),
)

/** RFC 8246: files with a hash in their name never change. */
const forEver = 'public, max-age=31536000, immutable'

/**
 * The built dashboard. Each path below `/-/` except assets and the API reference returns index.html,
 * so that pages can be reloaded and linked. Nothing is cached in memory: a new build is served from
 * the next request on.
 */
export function createWebApp({ folder }: WebAppOptions): HttpHandler {
  return async (request) => {
    const { method, rawPath } = request
    const logFields = { operation: 'webApp' }
    if (method !== 'GET' && method !== 'HEAD') return { ...notAllowed, logFields }
    const file = rawPath === faviconPath ? 'favicon.ico' : ownFiles.get(rawPath)
    if (file !== undefined) return { ...(await ownFile(folder, file)), logFields }
    if (!rawPath.startsWith(base)) return { ...toBase, logFields }
    if (rawPath.startsWith(assetsBase)) return { ...(await asset(folder, request)), logFields }
    return { ...(await page(folder, rawPath === docsPath ? 'docs.html' : 'index.html')), logFields }
  }
}

const notAllowed: HttpReply = {
  status: 405,
  headers: [['Allow', 'GET, HEAD'], ['Content-Type', 'application/json'], ...commonHeaders],
  body: '{"message":"expected GET or HEAD"}',
}

/** Relative, so that it works behind any proxy. */
const toBase: HttpReply = { status: 308, headers: [['Location', base], ...commonHeaders] }

async function asset(folder: string, { rawPath, headers }: HttpRequest): Promise<HttpReply> {
  const name = rawPath.slice(assetsBase.length)
  const found = await openAsset(join(folder, 'assets'), name, headers['accept-encoding'])
  if (found === undefined) return noSuchAsset
  return {
    status: 200,
    headers: [
      ['Content-Type', found.contentType],
      ...(found.coding === undefined ? [] : [['Content-Encoding', found.coding] as const]),
      ['Vary', 'Accept-Encoding'],
      ['Cache-Control', forEver],
      ...commonHeaders,
    ],
    body: found.body,
  }
}

async function ownFile(folder: string, name: string): Promise<HttpReply> {
  const found = await openAsset(folder, name, undefined)
  if (found === undefined) return noSuchAsset
  return {
    status: 200,
    headers: [
      ['Content-Type', found.contentType],
      ['Cache-Control', 'public, max-age=86400'],
      ...commonHeaders,
    ],
    body: found.body,
  }
}

const noSuchAsset: HttpReply = {
  status: 404,
  headers: [
    ['Content-Type', 'text/plain; charset=utf-8'],
    ['Cache-Control', 'no-store'],
    ...commonHeaders,
  ],
  body: 'Not found. The file may belong to an older version of the dashboard. Reload the page.\n',
}

/**
 * Sent without an ETag: each response has a new nonce, and a cached page with the policy of a later
 * response would lose its styles.
 */
async function page(folder: string, name: string): Promise<HttpReply> {
  const nonce = newNonce()
  const template = await readTemplate(join(folder, name))
  const headers = pageHeaders(nonce, { compiles: name === 'index.html' })
  if (template === undefined) return { status: 503, headers, body: notBuiltPage(nonce) }
  return { status: 200, headers, body: withNonce(template, nonce) }
}

/** The content that the gateway writes into a built page. */
export interface PageFilling {
  readonly title: string
  /** Markup. */
  readonly body: string
  /** The language of the texts (RFC 5646). */
  readonly language: string
  /** A text below the content. */
  readonly footer: string
  /** Default: 200. */
  readonly status?: number
}

/** Placeholders in the built page. */
const titleMark = 'bucketry-title'
const bodyMark = 'bucketry-body'
const footerMark = 'bucketry-footer'
const languageMark = 'lang="en"'

/** A built page that works without scripts: its content is filled in here, and it may submit its forms. */
export async function filledPage(
  folder: string,
  name: string,
  { title, body, language, footer, status = 200 }: PageFilling,
): Promise<HttpReply> {
  const nonce = newNonce()
  const template = await readTemplate(join(folder, name))
  const headers = pageHeaders(nonce, { formAction: "'self'", cacheControl: 'no-store' })
  if (template === undefined) return { status: 503, headers, body: notBuiltPage(nonce) }
  const [beginning = '', end = ''] = withNonce(template, nonce).split(bodyMark)
  const titled = beginning
    .replace(languageMark, () => `lang="${language}"`)
    .replace(titleMark, () => escapeTitle(title))
  return { status, headers, body: titled + body + end.replace(footerMark, () => footer) }
}

function escapeTitle(title: string): string {
  return title.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

async function readTemplate(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** The page shown if the dashboard has not been built. */
function notBuiltPage(nonce: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Bucketry: the dashboard is not built</title>
<style nonce="${nonce}">
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 36rem; margin: 12vh auto; padding: 0 1.25rem }
code { padding: .1em .35em; border-radius: .3em; background: light-dark(#e9edf0, #2a3036) }
</style>
<h1>The dashboard is not built</h1>
<p>Run <code>npm ci &amp;&amp; npm run build</code> in the Bucketry folder, then reload this page.
The gateway does not have to be restarted.</p>
<p>S3, the model list and the APIs work without it.</p>
</html>
`
}
