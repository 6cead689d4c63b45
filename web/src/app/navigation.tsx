import { Group } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { Link, useLocation, useRoute } from 'wouter'
import { frameTexts } from '../texts/frame.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { ColorSchemeSwitch } from './color-scheme-switch.tsx'
import iconUrl from './icon.svg'
import classes from './navigation.module.css'
import { bucketPattern, type Page, pageGroups } from './pages.ts'
import { SignOutButton } from './sign-out-button.tsx'

export function Brand() {
  return (
    <Link href="/files" className={classes.brand ?? ''} aria-label={frameTexts.allBuckets}>
      <img src={iconUrl} alt="" width={26} height={26} />
      <span>Bucketry</span>
    </Link>
  )
}

/** Links to the pages beside the content, on wide screens. */
export function Navigation() {
  return (
    <nav className={classes.side} aria-label={frameTexts.pages}>
      <PageLinks />
    </nav>
  )
}

/** The pages that a phone shows at the bottom; the others are in the drawer. */
const dailyPages: readonly string[] = ['/files', '/overview', '/shares', '/trash']

/** At the bottom of a phone, where a thumb reaches. */
export function PhoneBar({ children }: { readonly children: ReactNode }) {
  return (
    <nav className={classes.phone} aria-label={frameTexts.dailyPages}>
      {pageGroups.flat().flatMap((page) => {
        return dailyPages.includes(page.href) ? [<PageLink key={page.href} page={page} />] : []
      })}
      {children}
    </nav>
  )
}

interface NavigationDrawerProps {
  /** The button that opens it. */
  readonly button: (open: () => void) => ReactNode
  readonly className?: string | undefined
}

/** All pages in a drawer, on narrow screens, with the buttons that wide screens have below them. */
export function NavigationDrawer({ button, className }: NavigationDrawerProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [path] = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawer closes when another page is shown
  useEffect(() => dialog.current?.close(), [path])
  const close = () => dialog.current?.close()
  return (
    <div className={className}>
      {button(() => dialog.current?.showModal())}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself */}
      <dialog
        ref={dialog}
        className={classes.drawer}
        aria-label={frameTexts.pages}
        onClick={({ target }) => {
          // A click whose target is the dialog itself hit the backdrop. A link and a sign-out also close the drawer.
          const isChoice = (target as Element).closest('a, [data-sign-out]') !== null
          if (target === dialog.current || isChoice) close()
        }}
      >
        <div className={classes.sheet}>
          <div className={classes.top}>
            <Brand />
            <IconButton label={frameTexts.close} size="lg" onClick={close}>
              <IconX size={20} />
            </IconButton>
          </div>
          <nav aria-label={frameTexts.pages}>
            <PageLinks />
          </nav>
          <Group gap={4} mt="md" pl={4}>
            <ColorSchemeSwitch />
            <SignOutButton />
          </Group>
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

function PageLink({ page: { href, pattern, name, Icon } }: { readonly page: Page }) {
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
      {frameTexts.page[name]}
    </Link>
  )
}
