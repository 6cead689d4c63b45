import { type Share, sharesBase } from './share.ts'
import { dayText, momentText, type Refusal, shownName, sizeText } from './share-texts.ts'

/** HTML markup in which all untrusted text is escaped. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }
}

type Value = Html | string | number | undefined | false | readonly Html[]

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** An HTML template tag: texts are escaped, Html stays as it is. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  const rest = values.map((value, index) => markupOf(value) + (strings[index + 1] ?? ''))
  return new Html((strings[0] ?? '') + rest.join(''))
}

function markupOf(value: Value): string {
  if (value === undefined || value === false) return ''
  if (value instanceof Html) return value.markup
  if (typeof value === 'object') return value.map(({ markup }) => markup).join('')
  return escapeText(String(value))
}

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
}

/** The content of a share page, which is filled into the template of the web build. */
export interface SharePage {
  readonly title: string
  readonly body: Html
}

/** A file as visitors see it. */
export interface SharedFile {
  readonly name: string
  readonly size: number
  readonly contentType: string
  readonly etag: string
}

/** Types that browsers can show and that cannot run scripts. Files of other types are only downloaded. */
const shownTypes =
  /^(?:(image)\/(?:png|jpeg|gif|webp|avif|bmp)|(video|audio)\/[\w.+-]+|text\/plain|application\/pdf)\s*(?:;|$)/i

export function isShownInBrowser(contentType: string): boolean {
  return shownTypes.test(contentType)
}

/** A larger picture is not shown before it is pressed. */
const maxShownBytes = 8 * 1024 * 1024

/** The page of a link to a file. */
export function filePage(token: string, share: Share, file: SharedFile): SharePage {
  const address = `${sharesBase}${token}`
  const name = shownName(share.title || file.name)
  return {
    title: name,
    body: html`<p class="kind">Shared file</p>
<h1><bdi>${name}</bdi></h1>
<p class="facts">${share.title !== '' && html`<bdi>${shownName(file.name)}</bdi> · `}${sizeText(file.size)}${factsOf(share)}</p>
<p class="actions"><a class="button" href="${address}/file" download>Download</a></p>
${share.maxUses === 0 && previewOf(address, name, file)}`,
  }
}

/** Only if uses are not limited, because it would not be counted. */
function previewOf(address: string, name: string, file: SharedFile): Html | undefined {
  const source = `${address}/file?inline`
  const [, image, media] = shownTypes.exec(file.contentType) ?? []
  if (image !== undefined) {
    const picture =
      file.size <= maxShownBytes ? source : thumbnailAddress(address, { path: '', etag: file.etag })
    return html`<p class="preview"><a href="${source}" target="_blank" rel="noopener" data-view="image" data-name="${name}"><img src="${picture}" alt="${name}"></a></p>`
  }
  if (media?.toLowerCase() === 'video') {
    return html`<p class="preview"><video src="${source}" controls preload="metadata"></video></p>`
  }
  if (media !== undefined) {
    return html`<p class="preview"><audio src="${source}" controls preload="metadata"></audio></p>`
  }
  if (!isShownInBrowser(file.contentType)) return undefined
  const isPdf = /pdf/i.test(file.contentType)
  return html`<p${isPdf && html` data-frame="${source}" data-name="${name}"`}><a href="${source}" target="_blank" rel="noopener">Open in a new tab</a></p>`
}

/** How long and how often a share can still be used. */
export function factsOf({
  expiresAtMs,
  maxUses,
  uses,
}: Pick<Share, 'expiresAtMs' | 'maxUses' | 'uses'>): Html {
  const left = maxUses - uses
  const downloads = left === 1 ? '1 download left' : `${left} downloads left`
  return html`${maxUses !== 0 && html` · ${downloads}`}${
    expiresAtMs !== 0 && html` · until ${timeMarkup(expiresAtMs, momentText(expiresAtMs))}`
  }`
}

/** A day, such as that of the last change. */
export function dayMarkup(atMs: number): Html {
  return timeMarkup(atMs, dayText(atMs), html` data-day`)
}

/** The script of the page replaces the text, which is in UTC, by the visitor's own time. */
function timeMarkup(atMs: number, text: string, more?: Html): Html {
  return html`<time datetime="${new Date(atMs).toISOString()}"${more}>${text}</time>`
}

/** The address of the thumbnail of a file. With the ETag, browsers may keep it. */
export function thumbnailAddress(address: string, { path, etag }: { path: string; etag: string }) {
  return `${address}/thumbnail?${new URLSearchParams({ path, etag }).toString()}`
}

/** The page that asks for the password of a share. */
export function passwordPage(token: string, isWrong: boolean): SharePage {
  const mistake = html`<p class="mistake" id="mistake" role="alert">This password is wrong. Try again.</p>`
  return {
    title: isWrong ? 'Wrong password' : 'Password needed',
    body: html`<p class="kind">Protected link</p>
<h1>Enter the password</h1>
<p>The person who sent you this link has set a password.</p>
<form method="post" action="${sharesBase}${token}/unlock">
<label for="password">Password</label>
<input id="password" name="password" type="password" required autofocus autocomplete="off"${
      isWrong && html` aria-invalid="true" aria-describedby="mistake"`
    }>
${isWrong && mistake}
<p class="actions"><button class="button">Continue</button></p>
</form>`,
  }
}

export function refusalPage({ title, text }: Refusal): SharePage {
  return { title, body: html`<p class="kind">Shared link</p><h1>${title}</h1><p>${text}</p>` }
}
