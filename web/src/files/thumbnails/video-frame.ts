import { maxPixels } from './thumbnail-limits.ts'

const limitMs = 20_000
/** The position of the frame in a long video, in seconds: beyond a black beginning. */
const wantedSeconds = 1

/** A frame of a video; undefined if this browser cannot play it. */
export async function videoFrame(
  url: string,
  signal: AbortSignal,
): Promise<ImageBitmap | undefined> {
  const video = document.createElement('video')
  const late = AbortSignal.timeout(limitMs)
  try {
    video.muted = true
    video.preload = 'auto'
    video.src = url
    if (!(await happens(video, 'loadeddata', signal, late))) return undefined
    const { videoWidth, videoHeight, duration } = video
    const pixels = videoWidth * videoHeight
    if (pixels === 0 || pixels > maxPixels) return undefined
    if (Number.isFinite(duration) && duration > 0) {
      video.currentTime = Math.min(wantedSeconds, duration / 2)
      if (!(await happens(video, 'seeked', signal, late))) return undefined
    }
    return await createImageBitmap(video)
  } finally {
    // Ends the download.
    video.removeAttribute('src')
    video.load()
  }
}

/** Resolves with whether the event occurs in time and before the video fails. @throws when the signal aborts */
function happens(
  video: HTMLVideoElement,
  type: string,
  signal: AbortSignal,
  late: AbortSignal,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    signal.addEventListener('abort', () => reject(signal.reason))
    // Some phones do not load a video before it is tapped.
    late.addEventListener('abort', () => resolve(false))
    video.addEventListener(type, () => resolve(true), { once: true })
    video.addEventListener('error', () => resolve(false), { once: true })
  })
}
