import { IconChevronRight, IconDots } from '@tabler/icons-react'
import { Fragment, useLayoutEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { filesTexts } from '../../texts/files.ts'
import { frameTexts } from '../../texts/frame.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import type { Browser } from '../browse/browser.ts'
import { dropTarget } from '../carry/drag.ts'
import { crumbsOf } from '../entries/entry.ts'
import { NameText } from '../entries/name-text.tsx'
import { visibleName } from '../entries/visible-name.ts'
import { locationPath } from '../files-location.ts'
import classes from './breadcrumbs.module.css'

interface BreadcrumbsProps {
  readonly bucket: string
  readonly prefix: string
  /** Shown without a bucket. */
  readonly title?: string
  /** Opens the menu of the folders that do not fit; undefined: there is always room. */
  readonly openMenu?: Browser['openMenu']
}

/** The path from the list of buckets to this folder. A menu has the folders that do not fit. */
export function Breadcrumbs({ bucket, prefix, title = '', openMenu }: BreadcrumbsProps) {
  const folders = bucket === '' ? [] : [{ name: bucket, prefix: '' }, ...crumbsOf(prefix)]
  const above = [
    { name: frameTexts.page.files, href: '/files', prefix: undefined },
    ...folders.slice(0, -1).map((folder) => ({
      ...folder,
      href: locationPath({ bucket, prefix: folder.prefix, filter: '' }),
    })),
  ]
  const { bar, hidden } = useHiddenCount(
    `${bucket}/${prefix}`,
    openMenu === undefined ? 0 : above.length,
  )
  const here = folders.at(-1)?.name ?? title
  return (
    <nav ref={bar} aria-label={filesTexts.folder} className={classes.crumbs}>
      {hidden > 0 && (
        <>
          <IconButton
            label={filesTexts.foldersAbove}
            aria-haspopup="menu"
            onClick={({ currentTarget }) => {
              const { left, bottom } = currentTarget.getBoundingClientRect()
              const shown = above
                .slice(0, hidden)
                .map(({ name, href }) => ({ name: visibleName(name), href }))
              openMenu?.({
                type: 'path',
                folders: shown,
                x: left,
                y: bottom,
                opener: currentTarget,
              })
            }}
          >
            <IconDots size={18} />
          </IconButton>
          <IconChevronRight size={14} className={classes.between} aria-hidden />
        </>
      )}
      {above.slice(hidden).map(({ name, href, prefix: target }) => (
        <Fragment key={href}>
          <Link
            href={href}
            className={classes.crumb ?? ''}
            draggable={false}
            {...(target !== undefined && dropTarget({ bucket, prefix: target }))}
          >
            <NameText name={name} />
          </Link>
          <IconChevronRight size={14} className={classes.between} aria-hidden />
        </Fragment>
      ))}
      <h1 className={classes.here} aria-current="page">
        <NameText name={here} />
      </h1>
    </nav>
  )
}

/** How many folders from the beginning of the path do not fit. */
function useHiddenCount(path: string, most: number) {
  const bar = useRef<HTMLElement>(null)
  const [state, setState] = useState({ path, width: 0, hidden: 0 })
  const hidden = state.path === path ? Math.min(state.hidden, most) : 0
  useLayoutEffect(() => {
    const element = bar.current
    if (element === null) return
    const observer = new ResizeObserver(() =>
      setState((before) =>
        before.width === element.clientWidth && before.path === path
          ? before
          : { path, width: element.clientWidth, hidden: 0 },
      ),
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [path])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another width has room for others
  useLayoutEffect(() => {
    const element = bar.current
    if (element === null || hidden >= most || element.scrollWidth <= element.clientWidth) return
    setState({ path, width: element.clientWidth, hidden: hidden + 1 })
  }, [path, hidden, most, state.width])
  return { bar, hidden }
}
