import {
  IconMaximize,
  IconMinimize,
  IconPlayerPause,
  IconPlayerPlay,
  IconZoomIn,
  IconZoomOut,
} from '@tabler/icons-react'
import { formatCount } from '../../format/bytes.ts'
import { previewTexts } from '../../texts/preview.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import type { Slideshow } from './use-slideshow.ts'
import type { PictureZoom } from './use-zoom.ts'
import classes from './viewer.module.css'

interface PictureBarProps {
  readonly picture: PictureZoom
  readonly show: Slideshow
}

/** How large the picture is, and how it is shown. */
export function PictureBar({ picture, show }: PictureBarProps) {
  const { size, magnification, zoom } = picture
  const { isFull, isPlaying, toggleFull, togglePlaying } = show
  const Play = isPlaying ? IconPlayerPause : IconPlayerPlay
  const Full = isFull ? IconMinimize : IconMaximize
  return (
    <div className={classes.pictureBar} role="toolbar" aria-label={previewTexts.picture.title}>
      {size !== undefined && (
        <span className={classes.dimensions}>
          {formatCount(size.width)} × {formatCount(size.height)}
        </span>
      )}
      <IconButton
        label={previewTexts.picture.zoomOut}
        size={36}
        disabled={zoom.scale <= 1}
        onClick={picture.reduce}
      >
        <IconZoomOut size={18} />
      </IconButton>
      <button
        type="button"
        className={classes.percent}
        data-tip={previewTexts.picture.fit}
        aria-description={previewTexts.picture.fit}
        onClick={picture.reset}
      >
        {magnification === undefined ? '–' : `${Math.round(magnification * 100)} %`}
      </button>
      <IconButton label={previewTexts.picture.zoomIn} size={36} onClick={picture.enlarge}>
        <IconZoomIn size={18} />
      </IconButton>
      <IconButton
        label={isPlaying ? previewTexts.picture.pause : previewTexts.picture.slideshow}
        size={36}
        onClick={togglePlaying}
      >
        <Play size={18} />
      </IconButton>
      <IconButton
        label={isFull ? previewTexts.picture.exitFull : previewTexts.picture.full}
        size={36}
        onClick={toggleFull}
      >
        <Full size={18} />
      </IconButton>
    </div>
  )
}
