import { type Share, sharesBase } from './share.ts'
import { type Refusal, shownName } from './share-texts.ts'
import type { VisitorTexts } from './texts/en.ts'
import { dayText, momentText, sizeText } from './texts/visitor-texts.ts'

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
export function filePage(
  texts: VisitorTexts,
  token: string,
  share: Share,
  file: SharedFile,
): SharePage {
  const address = `${sharesBase}${token}`
  const name = shownName(share.title || file.name)
  return {
    title: name,
    body: html`<p class="kind">${texts.sharedFile}</p>
<h1><bdi>${name}</bdi></h1>
<p class="facts">${share.title !== '' && html`<bdi>${shownName(file.name)}</bdi> · `}${sizeText(file.size, texts)}${factsOf(texts, share)}</p>
<p class="actions"><a class="button" href="${address}/file" download>${texts.download}</a></p>
${share.maxUses === 0 && previewOf(texts, address, name, file)}`,
  }
}

/** Only if uses are not limited, because it would not be counted. */
function previewOf(
  texts: VisitorTexts,
  address: string,
  name: string,
  file: SharedFile,
): Html | undefined {
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
  return html`<p${isPdf && html` data-frame="${source}" data-name="${name}"`}><a href="${source}" target="_blank" rel="noopener">${texts.openInTab}</a></p>`
}

/** How long and how often a share can still be used. */
export function factsOf(
  texts: VisitorTexts,
  { expiresAtMs, maxUses, uses }: Pick<Share, 'expiresAtMs' | 'maxUses' | 'uses'>,
): Html {
  const left = texts.downloadsLeft(maxUses - uses)
  const until = () => timeMarkup(expiresAtMs, momentText(expiresAtMs, texts))
  return html`${maxUses !== 0 && html` · ${left}`}${
    expiresAtMs !== 0 && html` · ${texts.until} ${until()}`
  }`
}

/** A day, such as that of the last change. */
export function dayMarkup(texts: VisitorTexts, atMs: number): Html {
  return timeMarkup(atMs, dayText(atMs, texts), html` data-day`)
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
export function passwordPage(texts: VisitorTexts, token: string, isWrong: boolean): SharePage {
  const mistake = html`<p class="mistake" id="mistake" role="alert">${texts.tryPasswordAgain}</p>`
  return {
    title: isWrong ? texts.wrongPassword : texts.passwordNeeded,
    body: html`<p class="kind">${texts.protectedLink}</p>
<h1>${texts.enterPassword}</h1>
<p>${texts.passwordSet}</p>
<form method="post" action="${sharesBase}${token}/unlock">
<label for="password">${texts.password}</label>
<input id="password" name="password" type="password" required autofocus autocomplete="off"${
      isWrong && html` aria-invalid="true" aria-describedby="mistake"`
    }>
${isWrong && mistake}
<p class="actions"><button class="button">${texts.continue}</button></p>
</form>`,
  }
}

export function refusalPage(texts: VisitorTexts, { name }: Refusal): SharePage {
  const { title, text } = texts.refusals[name]
  return {
    title,
    body: html`<p class="kind">${texts.sharedLink}</p><h1>${title}</h1><p>${text}</p>`,
  }
}
