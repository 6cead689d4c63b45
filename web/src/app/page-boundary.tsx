import { Button, Stack, Text, Title } from '@mantine/core'
import { Component, type ReactNode, useEffect } from 'react'
import { type ConnectionStatus, connection } from '../connection/connection.ts'
import { useConnection } from '../connection/use-connection.ts'
import { wouldEndSomething } from '../session/sign-out-guard.ts'
import { frameTexts } from '../texts/frame.ts'
import { Loading } from '../ui/loading.tsx'

interface PageBoundaryProps {
  /** The subject of the error title. Default: this page. */
  readonly name?: string
  /** The address of the page. A change resets the error. */
  readonly path: string
  readonly children: ReactNode
}

interface PageBoundaryState {
  readonly error: Error | undefined
  /** Whether the service responded after the error; undefined until that is known. */
  readonly connection: ConnectionStatus | undefined
}

const noError: PageBoundaryState = { error: undefined, connection: undefined }

/**
 * Catches errors of a page, or of an element beside all pages. This includes a chunk that could not be loaded because
 * the service does not respond or an update has removed it.
 */
export class PageBoundary extends Component<PageBoundaryProps, PageBoundaryState> {
  override state: PageBoundaryState = noError

  static getDerivedStateFromError(error: Error): PageBoundaryState {
    return { ...noError, error }
  }

  override componentDidCatch(): void {
    void connection.check().then((status) => this.setState({ connection: status }))
  }

  override componentDidUpdate({ path }: PageBoundaryProps): void {
    const hasMoved = path !== this.props.path
    if (hasMoved && this.state.error !== undefined) this.setState(noError)
  }

  override render(): ReactNode {
    const { error, connection } = this.state
    const { name = frameTexts.boundary.thisPage, children } = this.props
    if (error === undefined) return children
    if (connection === undefined) return <Loading />
    return connection === 'lost' ? (
      <NotLoaded name={name} />
    ) : (
      <NotShown name={name} error={error} />
    )
  }
}

/** Reloads the page when the service responds again, unless that would end a transfer. */
function NotLoaded({ name }: { readonly name: string }) {
  const isConnected = useConnection() === 'connected'
  useEffect(() => {
    // Browsers remember a failed module import until the page is reloaded.
    if (isConnected && !wouldEndSomething()) location.reload()
  }, [isConnected])
  return (
    <Notice title={frameTexts.boundary.notLoaded(name)}>
      {isConnected ? frameTexts.boundary.connectedAgain : frameTexts.boundary.waiting}
    </Notice>
  )
}

function NotShown({ name, error }: { readonly name: string; readonly error: Error }) {
  return (
    <Notice title={frameTexts.boundary.notShown(name)}>
      {frameTexts.boundary.updated}
      <Text size="sm" c="dimmed" mt="sm">
        {error.message}
      </Text>
    </Notice>
  )
}

function Notice({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Stack align="flex-start" gap="sm" p="lg" role="alert">
      <Title order={1} size="h2">
        {title}
      </Title>
      <Text component="div">{children}</Text>
      <Button onClick={() => location.reload()}>{frameTexts.boundary.reload}</Button>
    </Stack>
  )
}
