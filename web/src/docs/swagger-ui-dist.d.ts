/** The options in use: https://swagger.io/docs/open-source-tools/swagger-ui/usage/configuration/ */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  const SwaggerUIBundle: (options: {
    readonly url: string
    readonly dom_id: string
    readonly supportedSubmitMethods: readonly string[]
    readonly defaultModelsExpandDepth: number
  }) => void

  // biome-ignore lint/style/noDefaultExport: the package exports it so
  export { SwaggerUIBundle as default }
}
