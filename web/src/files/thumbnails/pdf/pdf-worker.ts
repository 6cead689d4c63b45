import { AnnotationMode, getDocument, PDFDataRangeTransport, type PDFPageProxy } from 'pdfjs-dist'
import { resetLimits } from './pdf-globals.ts'
import 'pdfjs-dist/build/pdf.worker.mjs'
import { maxPixels, type PictureForm } from '../thumbnail-limits.ts'
import type { ObjectSource } from '../thumbnail-task.ts'
import { answerTasks } from '../worker/answer-tasks.ts'
import { ObjectParts } from '../worker/object-parts.ts'
import { fitting } from '../worker/small-picture.ts'

/** Enough for the first page with its pictures: a longer file is not read to its end. */
const maxBytes = 16 * 1024 * 1024

/** An ordinary page has some thousand drawing operations. Only a hostile one has a million. */
const maxOperations = 1_000_000

/** Draws the first page. All of pdf.js runs in this thread, so that the end of the thread stops an endless page. */
answerTasks(async (source: ObjectSource, form) => {
  resetLimits()
  const failed = Promise.withResolvers<never>()
  const range = new ObjectRange(new ObjectParts(source, maxBytes), failed.reject)
  const opening = getDocument({ range, ...options })
  const file = await Promise.race([opening.promise, failed.promise])
  const page = await Promise.race([file.getPage(1), failed.promise])
  const bitmap = await Promise.race([draw(page, form), failed.promise])
  await opening.destroy()
  return { bitmap }
})

/** Reads the ranges that pdf.js requests. */
class ObjectRange extends PDFDataRangeTransport {
  readonly #parts: ObjectParts
  readonly #fail: (error: unknown) => void

  constructor(parts: ObjectParts, fail: (error: unknown) => void) {
    super(parts.size, null)
    this.#parts = parts
    this.#fail = fail
  }

  override requestDataRange(begin: number, end: number): void {
    // pdf.js transfers the memory, so it gets a copy.
    const give = (bytes: Uint8Array) => this.onDataRange(begin, bytes.slice())
    void this.#parts.read(begin, end).then(give).catch(this.#fail)
  }
}

class OffscreenFactory {
  create(width: number, height: number) {
    const canvas = new OffscreenCanvas(width, height)
    return { canvas, context: canvas.getContext('2d') }
  }

  reset({ canvas }: { canvas: OffscreenCanvas }, width: number, height: number): void {
    Object.assign(canvas, { width, height })
  }

  destroy({ canvas }: { canvas: OffscreenCanvas }): void {
    Object.assign(canvas, { width: 0, height: 0 })
  }

  getNoAlphaContext(canvas: OffscreenCanvas) {
    return canvas.getContext('2d', { alpha: false })
  }
}

/** Filters of SVG, which need a document. */
const noFilters = class {
  readonly addFilter = () => 'none'
  readonly addHCMFilter = this.addFilter
  readonly addAlphaFilter = this.addFilter
  readonly addLuminosityFilter = this.addFilter
  readonly addKnockoutFilter = this.addFilter
  readonly addHighlightHCMFilter = this.addFilter
  destroy(): void {
    // There is nothing to release.
  }
}

const options = {
  disableAutoFetch: true,
  disableStream: true,
  // Glyphs are drawn as paths: this thread has no document for fonts, and the policy of the page allows none.
  disableFontFace: true,
  // JPEG 2000 and JBIG2 need files of their own.
  useWasm: false,
  maxImageSize: maxPixels,
  // Chromium never frees the frames of its image decoder that were drawn to a canvas.
  isImageDecoderSupported: false,
  verbosity: 0,
  ...{ CanvasFactory: OffscreenFactory, FilterFactory: noFilters },
}

async function draw(page: PDFPageProxy, form: PictureForm): Promise<ImageBitmap> {
  const { width, height } = page.getViewport({ scale: 1 })
  const size = fitting(1_000 * width, 1_000 * height, form)
  const canvas = new OffscreenCanvas(...size)
  const viewport = page.getViewport({ scale: Math.max(size[0] / width, size[1] / height) })
  await page.render({
    ...{ canvas: canvas as unknown as HTMLCanvasElement, viewport },
    annotationMode: AnnotationMode.DISABLE,
    // For the screen, drawing waits for its frames, of which a hidden tab has none.
    intent: 'print',
    operationsFilter(index: number) {
      if (index > maxOperations) throw new RangeError('too many operations')
      return true
    },
  }).promise
  return canvas.transferToImageBitmap()
}
