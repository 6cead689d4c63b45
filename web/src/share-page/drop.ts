import { pageTexts } from './page-texts.ts'

/** Sends the files that a visitor chooses, each in a request of its own. The page is src/dashboard/shares/drop-links.ts. */

const atOnce = 2
/** The status if the name is taken: another visitor may have used it since. */
const conflict = 409

interface Sending {
  readonly file: File
  readonly row: HTMLElement
  readonly state: HTMLElement
}

export function beginDrop(form: HTMLFormElement): void {
  const input = form.querySelector('input')
  const waiting: Sending[] = []
  let running = 0
  const next = (): void => {
    const sending = running < atOnce ? waiting.shift() : undefined
    if (sending === undefined) return
    running += 1
    void send(sending, form).finally(() => {
      running -= 1
      next()
    })
    next()
  }
  const take = (files: FileList | undefined | null): void => {
    for (const file of files ?? []) waiting.push(shown(file))
    next()
  }
  input?.addEventListener('change', () => {
    take(input.files)
    input.value = ''
  })
  document.addEventListener('dragover', (event) => event.preventDefault())
  document.addEventListener('drop', (event) => {
    event.preventDefault()
    take(event.dataTransfer?.files)
  })
  addEventListener('beforeunload', (event) => {
    if (running > 0) event.preventDefault()
  })
}

function shown(file: File): Sending {
  const row = document.createElement('li')
  const name = document.createElement('bdi')
  const state = document.createElement('span')
  name.textContent = file.name
  state.textContent = pageTexts.waits
  row.append(name, state)
  document.querySelector('#sent')?.append(row)
  return { file, row, state }
}

async function send({ file, row, state }: Sending, form: HTMLFormElement): Promise<void> {
  const largest = Number(form.dataset.largest)
  const tooLarge = largest > 0 && file.size > largest
  let [status, text] = tooLarge ? [413, pageTexts.tooLarge] : [conflict, '']
  for (let attempt = 0; status === conflict && attempt < 3; attempt++) {
    ;[status, text] = await put(file, form.dataset.drop ?? '', (percent) => {
      state.textContent = `${percent} %`
    })
  }
  const isDone = status === 201
  row.className = isDone ? 'done' : 'failed'
  state.textContent = isDone ? pageTexts.sent : text.trim() || pageTexts.lost
}

/**
 * Resolves with status 0 if the connection was lost. XMLHttpRequest, because fetch does not report upload progress.
 */
function put(
  file: File,
  address: string,
  onPercent: (percent: number) => void,
): Promise<[status: number, text: string]> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest()
    request.upload.addEventListener('progress', ({ loaded, total }) =>
      onPercent(total === 0 ? 100 : Math.floor((100 * loaded) / total)),
    )
    request.addEventListener('loadend', () => resolve([request.status, request.responseText]))
    request.open('PUT', address + encodeURIComponent(file.name))
    request.send(file)
  })
}
