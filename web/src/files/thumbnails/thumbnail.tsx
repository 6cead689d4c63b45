import { IconPlayerPlayFilled } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { FileEntry } from '../entries/entry.ts'
import classes from './thumbnail.module.css'
import { thumbnails } from './thumbnails.ts'

/** The delay before a thumbnail is loaded, so that scrolling past loads none. */
const settleMs = 120

/** Pixels: a smaller picture is not enlarged. */
const smallSide = 96

interface ThumbnailProps {
  readonly bucket: string
  readonly file: FileEntry
  readonly kind: 'image' | 'video'
  /** Shown until the picture has loaded, or if there is none. */
  readonly icon: ReactNode
  /** Whether it is one of a list: it is only shown if the server has it, or finds it in the photo. */
  readonly isSmall?: boolean
}

/** Use the ETag of the file as `key`. */
export function Thumbnail({ bucket, file, kind, icon, isSmall = false }: ThumbnailProps) {
  // A new listing has new entry objects for unchanged files, which must not start the load again.
  const [subject] = useState({ bucket, file, kind, isSmall })
  const [url, setUrl] = useState(() => thumbnails.get(bucket, file))
  const place = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    if (url !== undefined || savesData()) return
    const ending = new AbortController()
    const { signal } = ending
    const load = async () => {
      const rank = () => distanceFromView(place.current)
      const found = await thumbnails.load(subject, signal, { rank, isReadOnly: subject.isSmall })
      if (!signal.aborted) setUrl(found)
    }
    // Without a picture, the icon stays.
    const timer = setTimeout(() => void load().catch(() => undefined), settleMs)
    return () => {
      clearTimeout(timer)
      ending.abort()
    }
  }, [subject, url])
  if (url === undefined) {
    return (
      <>
        {icon}
        <span ref={place} className={classes.place} />
      </>
    )
  }
  return (
    <>
      <img
        src={url}
        // The tile shows the file's name.
        alt=""
        decoding="async"
        draggable={false}
        className={classes.image}
        onLoad={({ currentTarget: image }) => {
          const isSmall = Math.max(image.naturalWidth, image.naturalHeight) < smallSide
          image.toggleAttribute('data-small', isSmall)
        }}
      />
      {kind === 'video' && !isSmall && (
        <IconPlayerPlayFilled className={classes.film} size={28} aria-hidden />
      )}
    </>
  )
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
