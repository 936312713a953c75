// 3 3 /* 5 */ // \n
int printf(const char *format, ...);

int main(void)
<%
    int a<:3:> = <% 1, 2, 3 %>; /* a comment // in one line */
    int b = a<:1:> //* no comment
        /* twice */ + 1;
    int c = 10 /**// 2;
    printf("%d %d /* %d */ // \n", a[2], b, c);
    return 0;
%>
