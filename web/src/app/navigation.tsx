import { IconMenu2, IconX } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { Link, useLocation, useRoute } from 'wouter'
import { IconButton } from '../ui/icon-button.tsx'
import iconUrl from './icon.svg'
import classes from './navigation.module.css'
import { bucketPattern, type Page, pageGroups } from './pages.ts'

export function Brand() {
  return (
    <Link href="/files" className={classes.brand ?? ''} aria-label="Bucketry, all buckets">
      <img src={iconUrl} alt="" width={26} height={26} />
      <span>Bucketry</span>
    </Link>
  )
}

/** Links to the pages beside the content, on wide screens. */
export function Navigation() {
  return (
    <nav className={classes.side} aria-label="Pages">
      <PageLinks />
    </nav>
  )
}

/** The same links in a drawer, on narrow screens. */
export function NavigationDrawer() {
  const dialog = useRef<HTMLDialogElement>(null)
  const [path] = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawer closes when another page is shown
  useEffect(() => dialog.current?.close(), [path])
  const close = () => dialog.current?.close()
  return (
    <div className={classes.narrow}>
      <IconButton label="Pages" size="lg" onClick={() => dialog.current?.showModal()}>
        <IconMenu2 size={20} />
      </IconButton>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself */}
      <dialog
        ref={dialog}
        className={classes.drawer}
        aria-label="Pages"
        onClick={({ target }) => {
          // A click whose target is the dialog itself hit the backdrop. A link also closes the drawer.
          if (target === dialog.current || (target as Element).closest('a') !== null) close()
        }}
      >
        <div className={classes.sheet}>
          <div className={classes.top}>
            <Brand />
            <IconButton label="Close" size="lg" onClick={close}>
              <IconX size={20} />
            </IconButton>
          </div>
          <nav aria-label="Pages">
            <PageLinks />
          </nav>
        </div>
      </dialog>
    </div>
  )
}

function PageLinks() {
  return pageGroups.map((pages) => (
    <ul key={pages[0]?.href} className={classes.group}>
      {pages.map((page) => (
        <li key={page.href}>
          <PageLink page={page} />
        </li>
      ))}
    </ul>
  ))
}

function PageLink({ page: { href, pattern, label, Icon } }: { readonly page: Page }) {
  const [isOnPage] = useRoute(pattern)
  const [isInBucket] = useRoute(bucketPattern)
  const isHere = isOnPage || (isInBucket && href === '/files')
  return (
    <Link
      href={href}
      className={classes.page ?? ''}
      {...(isHere && { 'aria-current': 'page' as const })}
    >
      <Icon size={18} stroke={1.7} />
      {label}
    </Link>
  )
}
