import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { Router } from 'wouter'
import { ConnectionBar } from '../connection/connection-bar.tsx'
import { SessionGate } from '../session/session-gate.tsx'
import { queryClient } from './query-client.ts'
import { Routes } from './routes.tsx'
import { Shell } from './shell.tsx'
import { styleNonce } from './style-nonce.ts'
import { cssVariables, theme } from './theme.ts'

/** Everything below `/-/`. */
export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <Notifications position="bottom-right" limit={4} />
      <QueryClientProvider client={queryClient}>
        <ConnectionBar />
        <Router base="/-">
          <SessionGate>
            <Shell>
              <Routes />
            </Shell>
          </SessionGate>
        </Router>
      </QueryClientProvider>
    </MantineProvider>
  )
}
