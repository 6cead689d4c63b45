import { IconPlayerPlayFilled } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { drawPicture } from '../../pictures/draw-picture.ts'
import type { FileEntry } from '../entries/entry.ts'
import classes from './thumbnail.module.css'
import type { ThumbnailKind } from './thumbnail-kind.ts'
import { thumbnails } from './thumbnails.ts'

/** The delay before a thumbnail is loaded, so that scrolling past loads none. */
const settleMs = 120

/** Pixels: a smaller picture is not enlarged. */
const smallSide = 96

interface ThumbnailProps {
  readonly bucket: string
  readonly file: FileEntry
  readonly kind: ThumbnailKind
  /** Shown until the picture has loaded, or if there is none. */
  readonly icon: ReactNode
  /** Whether it is one of a list: it is only shown if the server has it, or finds it in the photo. */
  readonly isSmall?: boolean
}

/** Use the ETag of the file as `key`. */
export function Thumbnail({ bucket, file, kind, icon, isSmall = false }: ThumbnailProps) {
  // A new listing has new entry objects for unchanged files, which must not start the load again.
  const [subject] = useState({ bucket, file, kind, isSmall })
  const [picture, setPicture] = useState(() => thumbnails.get(bucket, file))
  const [isBroken, setIsBroken] = useState(false)
  const place = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    if (picture !== undefined || savesData()) return
    const ending = new AbortController()
    const { signal } = ending
    const load = async () => {
      const rank = () => distanceFromView(place.current)
      const found = await thumbnails.load(subject, signal, { rank, isReadOnly: subject.isSmall })
      if (!signal.aborted) setPicture(found)
    }
    // Without a picture, the icon stays.
    const timer = setTimeout(() => void load().catch(() => undefined), settleMs)
    return () => {
      clearTimeout(timer)
      ending.abort()
    }
  }, [subject, picture])
  if (picture === undefined || isBroken) {
    return (
      <>
        {icon}
        <span ref={place} className={classes.place} />
      </>
    )
  }
  return (
    <>
      <Picture picture={picture} onBroken={setIsBroken} />
      {kind === 'video' && !isSmall && (
        <IconPlayerPlayFilled className={classes.film} size={28} aria-hidden />
      )}
    </>
  )
}

interface PictureProps {
  readonly picture: Blob
  /** This browser cannot decode the picture. */
  readonly onBroken: (isBroken: true) => void
}

/** The tile shows the file's name. */
function Picture({ picture, onBroken }: PictureProps) {
  const place = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const canvas = place.current
    if (canvas === null) return
    const leaving = new AbortController()
    const draw = async () => {
      await drawPicture(canvas, picture, leaving.signal)
      const isSmall = Math.max(canvas.width, canvas.height) < smallSide
      canvas.toggleAttribute('data-small', isSmall)
    }
    void draw().catch(() => {
      // The failure of a picture that was replaced says nothing about the new one.
      if (!leaving.signal.aborted) onBroken(true)
    })
    return () => leaving.abort()
  }, [picture, onBroken])
  return <canvas ref={place} width={0} height={0} className={classes.image} aria-hidden />
}

/** Pixels from the middle of the window: the page also has rows above and below the visible ones. */
function distanceFromView(element: Element | null): number {
  return Math.abs((element?.getBoundingClientRect().top ?? 0) - innerHeight / 2)
}

/** Whether the user has asked the browser to save data. */
function savesData(): boolean {
  const { connection } = navigator as { readonly connection?: { readonly saveData?: boolean } }
  return connection?.saveData === true
}
