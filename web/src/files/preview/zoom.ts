/** How a picture is shown: enlarged from the size in which it fits, and moved from the middle, in pixels. */
export interface Zoom {
  readonly scale: number
  readonly x: number
  readonly y: number
}

/** Pixels; in a stage, from its middle. */
export interface Point {
  readonly x: number
  readonly y: number
}

/** The picture as it fits, and the stage around it, in pixels. */
export interface ZoomFrame {
  readonly width: number
  readonly height: number
  readonly stageWidth: number
  readonly stageHeight: number
  /** The pixels that the file has in a row. */
  readonly naturalWidth: number
}

export const fitting: Zoom = { scale: 1, x: 0, y: 0 }

/** Moved, but never so far that the stage could show more of the picture. */
export function moved({ scale, x, y }: Zoom, by: Point, frame: ZoomFrame): Zoom {
  const within = (value: number, size: number, room: number) => {
    const most = Math.max(0, (size * scale - room) / 2)
    // Without the negative zero of an empty range.
    return Math.min(most, Math.max(-most, value)) + 0
  }
  return {
    scale,
    x: within(x + by.x, frame.width, frame.stageWidth),
    y: within(y + by.y, frame.height, frame.stageHeight),
  }
}

/** Enlarged, so that what is at `at` stays there. A picture is never smaller than it fits. */
export function zoomed(zoom: Zoom, factor: number, at: Point, frame: ZoomFrame): Zoom {
  // Each pixel of the file can be seen.
  const most = Math.max(8, (4 * frame.naturalWidth) / Math.max(1, frame.width))
  const scale = Math.min(most, Math.max(1, zoom.scale * factor))
  const ratio = scale / zoom.scale
  const place = { scale, x: at.x - (at.x - zoom.x) * ratio, y: at.y - (at.y - zoom.y) * ratio }
  return moved(place, { x: 0, y: 0 }, frame)
}
