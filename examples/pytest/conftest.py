pytest_plugins = ["petstore_plugin"]
