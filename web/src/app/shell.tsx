import { IconMenu2 } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { useConnection } from '../connection/use-connection.ts'
import { TransfersMount } from '../files/transfers/transfers-mount.tsx'
import { frameTexts } from '../texts/frame.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { Tooltips } from '../ui/tooltips.tsx'
import { ColorSchemeSwitch } from './color-scheme-switch.tsx'
import { Brand, Navigation, NavigationDrawer, PhoneBar } from './navigation.tsx'
import { PageBoundary } from './page-boundary.tsx'
import classes from './shell.module.css'
import { SignOutButton } from './sign-out-button.tsx'

/** The frame of every page: skip link, navigation at the side or at the top, main. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const [path] = useLocation()
  const isStale = useConnection() === 'lost'
  return (
    <>
      <a className={classes.skip} href="#main">
        {frameTexts.skip}
      </a>
      <div className={classes.shell}>
        <header className={classes.header}>
          <div className={classes.start}>
            <NavigationDrawer
              className={classes.menu}
              button={(open) => (
                <IconButton label={frameTexts.pages} size="lg" onClick={open}>
                  <IconMenu2 size={20} />
                </IconButton>
              )}
            />
            <Brand />
          </div>
          <Navigation />
          <PhoneBar>
            <NavigationDrawer
              button={(open) => (
                <button type="button" className={classes.more} onClick={open}>
                  <IconMenu2 size={18} stroke={1.7} />
                  {frameTexts.more}
                </button>
              )}
            />
          </PhoneBar>
          <div className={classes.end}>
            <ColorSchemeSwitch />
            <SignOutButton />
          </div>
        </header>
        <div className={classes.content}>
          <main id="main" className={classes.main} tabIndex={-1} data-stale={isStale || undefined}>
            {children}
          </main>
          <PageBoundary name={frameTexts.boundary.transfers} path={path}>
            <TransfersMount />
          </PageBoundary>
        </div>
      </div>
      <Tooltips />
    </>
  )
}
