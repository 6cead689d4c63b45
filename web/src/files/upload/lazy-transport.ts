import { fileWorkTexts } from '../../texts/file-work.ts'
import type { RunningUpload, UploadTransport } from './upload-item.ts'

/** Loads the transport code with the first upload. */
export function lazyTransport(load: () => Promise<UploadTransport>): UploadTransport {
  let loading: Promise<UploadTransport> | undefined
  return {
    start(order, events) {
      loading ??= load().catch((error: unknown) => {
        loading = undefined
        throw error
      })
      const upload = loading.then((transport) => transport.start(order, events))
      upload.catch(() => {
        const message = fileWorkTexts.notLoaded
        events.onProblem({ kind: 'final', message })
      })
      const forward = (action: keyof RunningUpload) => () => {
        // Loading failures are reported above.
        upload.then((running) => running[action]()).catch(() => undefined)
      }
      return {
        pause: forward('pause'),
        resume: forward('resume'),
        retry: forward('retry'),
        cancel: forward('cancel'),
      }
    },
  }
}
