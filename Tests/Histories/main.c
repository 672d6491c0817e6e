// The program `histories`: its main function is not in the library, which test programs link as well.

int histories_main(int count, char **arguments);

int main(int count, char **arguments) { return histories_main(count, arguments); }
