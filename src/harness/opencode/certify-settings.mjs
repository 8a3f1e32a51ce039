/** The settings with which opencode and its fork Kilo CLI use the scripted model in a certification. */

/**
 * @param url   of the scripted model
 * @param mcp   the call that starts our MCP server; null: the harness gets no MCP server
 * @param model the object that describes the model in the settings
 */
export const scriptedSettings = (url, mcp, model) => ({
  autoupdate: false,
  share: 'disabled',
  model: 'mock/mock-model',
  small_model: 'mock/mock-model',
  provider: {
    mock: {
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL: `${url}/v1`, apiKey: 'x' },
      models: { 'mock-model': model },
    },
  },
  ...(mcp
    ? {
        mcp: {
          apes: { type: 'local', command: [mcp.command, ...mcp.args], environment: mcp.env, timeout: 600_000 },
        },
      }
    : {}),
});
