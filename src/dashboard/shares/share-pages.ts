import { type Share, sharesBase } from './share.ts'
import { momentText, type Refusal, shownName, sizeText } from './share-texts.ts'

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
}

/** Types that browsers can show and that cannot run scripts. Files of other types are only downloaded. */
const shownTypes =
  /^(?:(image)\/(?:png|jpeg|gif|webp|avif|bmp)|(video|audio)\/[\w.+-]+|text\/plain|application\/pdf)\s*(?:;|$)/i

export function isShownInBrowser(contentType: string): boolean {
  return shownTypes.test(contentType)
}

/** The page of a link to a file. */
export function filePage(token: string, share: Share, file: SharedFile): SharePage {
  const address = `${sharesBase}${token}/file`
  const name = shownName(file.name)
  return {
    title: name,
    body: html`<p class="kind">Shared file</p>
<h1><bdi>${name}</bdi></h1>
<p class="facts">${sizeText(file.size)}${factsOf(share)}</p>
${previewOf(`${address}?inline`, name, file, share)}
<p class="actions"><a class="button" href="${address}" download>Download</a></p>`,
  }
}

/** No preview if uses are limited, because it would not be counted. */
function previewOf(address: string, name: string, file: SharedFile, { maxUses }: Share) {
  if (maxUses !== 0 || !isShownInBrowser(file.contentType)) return undefined
  const [, image, media] = shownTypes.exec(file.contentType) ?? []
  if (image !== undefined) return html`<p class="preview"><img src="${address}" alt="${name}"></p>`
  if (media?.toLowerCase() === 'video') {
    return html`<p class="preview"><video src="${address}" controls preload="metadata"></video></p>`
  }
  if (media !== undefined) {
    return html`<p class="preview"><audio src="${address}" controls preload="metadata"></audio></p>`
  }
  return html`<p><a href="${address}" target="_blank" rel="noopener">Open in a new tab</a></p>`
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
    expiresAtMs !== 0 && html` · until ${momentText(expiresAtMs)}`
  }`
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
