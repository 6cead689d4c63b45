import { IconChevronRight } from '@tabler/icons-react'
import { Fragment, useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { dropTarget } from '../carry/drag.ts'
import { crumbsOf } from '../entries/entry.ts'
import { NameText } from '../entries/name-text.tsx'
import { locationPath } from '../files-location.ts'
import classes from './breadcrumbs.module.css'

interface BreadcrumbsProps {
  readonly bucket: string
  readonly prefix: string
}

/** The path from the list of buckets to this folder. */
export function Breadcrumbs({ bucket, prefix }: BreadcrumbsProps) {
  const crumbs = [{ name: bucket, prefix: '' }, ...crumbsOf(prefix)]
  const bar = useCurrentInView(`${bucket}/${prefix}`)
  return (
    <nav ref={bar} aria-label="Folder" className={classes.crumbs}>
      <Link href="/files" className={classes.crumb ?? ''}>
        Files
      </Link>
      {crumbs.map((crumb, index) => (
        <Fragment key={crumb.prefix}>
          <IconChevronRight size={14} className={classes.between} aria-hidden />
          {index === crumbs.length - 1 ? (
            <h1 className={classes.here} aria-current="page">
              <NameText name={crumb.name} />
            </h1>
          ) : (
            <Link
              href={locationPath({ bucket, prefix: crumb.prefix, filter: '' })}
              className={classes.crumb ?? ''}
              draggable={false}
              {...dropTarget({ bucket, prefix: crumb.prefix })}
            >
              <NameText name={crumb.name} />
            </Link>
          )}
        </Fragment>
      ))}
    </nav>
  )
}

/** Scrolls to the end, where the current folder is, now and when the width changes. */
function useCurrentInView(path: string) {
  const bar = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another folder has a different path
  useEffect(() => {
    const element = bar.current
    if (element === null) return
    const observer = new ResizeObserver(() => {
      element.scrollLeft = element.scrollWidth
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [path])
  return bar
}
