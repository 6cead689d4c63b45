import { Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { useConnection } from '../connection/use-connection.ts'
import { TransfersMount } from '../files/transfers/transfers-mount.tsx'
import { ColorSchemeSwitch } from './color-scheme-switch.tsx'
import { Navigation } from './navigation.tsx'
import classes from './shell.module.css'
import { SignOutButton } from './sign-out-button.tsx'

/** The frame of every page: skip link, header with navigation, main. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const isStale = useConnection() === 'lost'
  return (
    <>
      <a className={classes.skip} href="#main">
        Skip to content
      </a>
      <header className={classes.header}>
        <div className={classes.bar}>
          <Navigation />
          <Group gap={4} wrap="nowrap">
            <ColorSchemeSwitch />
            <SignOutButton />
          </Group>
        </div>
      </header>
      <main id="main" className={classes.main} tabIndex={-1} data-stale={isStale || undefined}>
        {children}
      </main>
      <TransfersMount />
    </>
  )
}
