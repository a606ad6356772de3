export default {
  framework: '@storybook/react-vite',
  stories: ['../src/*.stories.jsx'],
  addons: ['msw-storybook-addon', '@storybook/addon-vitest'],
  staticDirs: ['../public'],
  core: { disableTelemetry: true },
}
