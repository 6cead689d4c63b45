import { Title } from '@mantine/core'

export function ModelsPage() {
  return <Title order={1}>Models</Title>
}
