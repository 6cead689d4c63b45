import { Title } from '@mantine/core'

export function FilesPage() {
  return <Title order={1}>Files</Title>
}
