import { Button, Stack, Text, Title } from '@mantine/core'
import { Component, type ReactNode } from 'react'

interface PageBoundaryProps {
  /** The address of the page. A change resets the error. */
  readonly path: string
  readonly children: ReactNode
}

interface PageBoundaryState {
  readonly error: Error | undefined
}

/**
 * Catches errors of a page, including a chunk that an update of the service has removed. Reloading
 * fixes both.
 */
export class PageBoundary extends Component<PageBoundaryProps, PageBoundaryState> {
  override state: PageBoundaryState = { error: undefined }

  static getDerivedStateFromError(error: Error): PageBoundaryState {
    return { error }
  }

  override componentDidUpdate({ path }: PageBoundaryProps): void {
    const hasMoved = path !== this.props.path
    if (hasMoved && this.state.error !== undefined) this.setState({ error: undefined })
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === undefined) return this.props.children
    return (
      <Stack align="flex-start" gap="sm" p="lg" role="alert">
        <Title order={1} size="h2">
          This page could not be shown
        </Title>
        <Text>Bucketry may have been updated while this page was open. Reload it.</Text>
        <Text size="sm" c="dimmed">
          {error.message}
        </Text>
        <Button onClick={() => location.reload()}>Reload</Button>
      </Stack>
    )
  }
}
